import com.aliasi.chunk.Chunk;
import com.aliasi.chunk.Chunker;
import com.aliasi.util.AbstractExternalizable;
import java.io.*;
import java.nio.charset.StandardCharsets;

/** Run a LingPipe chunker: read numbered lines; write number, start, end, type (UTF-16) per mention. */
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
