import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.apache.spark.eventhubs.credentials.ProvidedToken;
import org.apache.spark.eventhubs.credentials.TokenProvider;

/** A user's class: takes tokens from a file. */
public class FileTokens implements TokenProvider {
  private final Path file;

  public FileTokens(Map<String, String> parameters) {
    if (!parameters.get("key").equals("marked-parameter")) {
      throw new IllegalArgumentException("the key is wrong");
    }
    file = Path.of(parameters.get("file"));
  }

  @Override
  public ProvidedToken getToken(String scope) {
    if (!scope.equals("https://eventhubs.azure.net/.default")) {
      throw new IllegalArgumentException("unknown scope " + scope);
    }
    try {
      return new ProvidedToken(Files.readString(file), Instant.now().plus(Duration.ofHours(1)));
    } catch (IOException lost) {
      throw new IllegalStateException("there is no token in " + file);
    }
  }
}
