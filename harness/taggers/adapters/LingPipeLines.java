import com.aliasi.chunk.Chunk;
import com.aliasi.chunk.Chunker;
import com.aliasi.util.AbstractExternalizable;
import java.io.*;
import java.nio.charset.StandardCharsets;

/** A LingPipe chunker as a program: numbered lines in; number, start, end, type, score out (UTF-16 units). */
public class LingPipeLines {
    public static void main(String[] arguments) throws Exception {
        Chunker chunker = (Chunker) AbstractExternalizable.readObject(new File(arguments[0]));
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, "UTF-8");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            int tab = line.indexOf('\t');
            for (Chunk chunk : chunker.chunk(line.substring(tab + 1)).chunkSet()) {
                out.println(line.substring(0, tab) + "\t" + chunk.start() + "\t" + chunk.end() + "\t" + chunk.type());
            }
        }
        out.flush();
    }
}
