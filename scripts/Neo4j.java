import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.neo4j.dbms.api.DatabaseManagementService;
import org.neo4j.dbms.api.DatabaseManagementServiceBuilder;

/** Neo4j in the foreground until it is stopped; started by neo4j.py beside this file. */
public class Neo4j {
    /** Takes the folder of the data, the settings, and what to say when it answers; NEO4J_PASSWORD is the password. */
    public static void main(String[] arguments) throws InterruptedException {
        DatabaseManagementService server =
                new DatabaseManagementServiceBuilder(Path.of(arguments[0]))
                        .loadPropertiesFromFile(Path.of(arguments[1]))
                        .build();
        Runtime.getRuntime().addShutdownHook(new Thread(server::shutdown));
        server.database("system")
                .executeTransactionally(
                        "CREATE OR REPLACE USER neo4j SET PASSWORD $password CHANGE NOT REQUIRED",
                        Map.of("password", System.getenv("NEO4J_PASSWORD")));
        System.out.println(arguments[2]);
        new CountDownLatch(1).await();
    }
}
