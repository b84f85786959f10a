import abner.Tagger;
import java.io.*;
import java.nio.charset.StandardCharsets;

/** Run ABNER: read one sentence per line from standard input, write the same lines with tags. */
public class AbnerLines {
    public static void main(String[] arguments) throws IOException {
        Tagger tagger = new Tagger(arguments[0].equals("nlpba") ? Tagger.NLPBA : Tagger.BIOCREATIVE);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, "UTF-8");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String tagged = line.trim().isEmpty() ? "" : tagger.tagSGML(line);
            out.println(tagged.replace('\n', ' ').replace('\r', ' '));
        }
        out.flush();
    }
}
