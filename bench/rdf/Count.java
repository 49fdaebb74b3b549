import java.io.*;
import java.nio.charset.StandardCharsets;
import org.apache.jena.graph.Triple;
import org.apache.jena.riot.*;
import org.apache.jena.riot.lang.rdfxml.RRX;
import org.apache.jena.riot.system.*;

/** Reads paths from standard input, and prints of each how many statements Jena reads, past what it calls errors, and its first complaint. */
public class Count {
  static long statements;
  static String complaint;

  static void complain(String text) {
    if (complaint.isEmpty()) complaint = text.replaceAll("\\s+", " ");
  }

  public static void main(String[] args) throws Exception {
    org.apache.jena.sys.JenaSystem.init();
    RRX.register();
    ErrorHandler lenient = new ErrorHandler() {
      public void warning(String text, long line, long column) { complain(text); }
      public void error(String text, long line, long column) { complain(text); }
      public void fatal(String text, long line, long column) { complain(text); throw new RiotException(text); }
    };
    StreamRDF count = new StreamRDFBase() {
      public void triple(Triple t) { statements++; }
    };
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String path; (path = in.readLine()) != null; ) {
      statements = 0;
      complaint = "";
      Lang lang = path.endsWith(".ttl") ? Lang.TURTLE : path.endsWith(".nt") ? Lang.NTRIPLES : RRX.RDFXML_ARP1;
      try (InputStream file = new BufferedInputStream(new FileInputStream(path))) {
        RDFParser.create().source(file).lang(lang).base("http://kavosh.example/").errorHandler(lenient).parse(count);
      } catch (RuntimeException e) {
        complain(String.valueOf(e.getMessage()));
      }
      System.out.println(statements + "\t" + complaint);
    }
  }
}
