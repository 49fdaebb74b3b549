// What JWAT says of files, one line each: their records' errors and warnings, and how many records there were.
import java.io.FileInputStream;
import java.io.InputStream;
import org.jwat.common.Diagnosis;
import org.jwat.warc.WarcReader;
import org.jwat.warc.WarcReaderFactory;
import org.jwat.warc.WarcRecord;

public class Digests {
    public static void main(String[] paths) throws Exception {
        for (String path : paths) {
            try (InputStream in = new FileInputStream(path)) {
                WarcReader reader = WarcReaderFactory.getReader(in);
                reader.setBlockDigestEnabled(true);
                reader.setPayloadDigestEnabled(true);
                StringBuilder said = new StringBuilder();
                int records = 0;
                for (WarcRecord record; (record = reader.getNextRecord()) != null; records++) {
                    record.close();
                    for (Diagnosis d : record.diagnostics.getErrors()) said.append("; error: " + d.type + " " + d.entity);
                    for (Diagnosis d : record.diagnostics.getWarnings()) said.append("; warning: " + d.type + " " + d.entity);
                }
                System.out.println(records + " records" + said);
            } catch (RuntimeException e) {
                System.out.println(e);
            }
        }
    }
}
