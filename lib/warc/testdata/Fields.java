// What jwarc's validate says of the fields of the first record of files, one line each.
import java.io.IOException;
import java.nio.file.Path;
import org.netpreserve.jwarc.HeaderValidator;
import org.netpreserve.jwarc.WarcReader;

public class Fields {
    public static void main(String[] paths) {
        for (String path : paths) {
            try (WarcReader reader = new WarcReader(Path.of(path))) {
                System.out.println(String.join("; ", HeaderValidator.warc_1_1().validate(reader.next().get().headers())));
            } catch (IOException | RuntimeException e) {
                System.out.println(e);
            }
        }
    }
}
