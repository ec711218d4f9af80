package android.content.pm;

/** A fake for tests. */
public class ApplicationInfo {
    public static final int FLAG_SYSTEM = 1;
    public String processName;
    public int flags;
}
