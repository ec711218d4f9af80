package android.content.res;

/** A fake for tests. */
public class Resources {
    public static Resources getSystem() {
        return new Resources();
    }

    public Configuration getConfiguration() {
        return new Configuration();
    }
}
