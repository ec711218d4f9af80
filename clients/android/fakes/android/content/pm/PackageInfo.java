package android.content.pm;

/** A fake for tests. */
public class PackageInfo {
    public String versionName;
    public long firstInstallTime;
    public long lastUpdateTime;
    public ApplicationInfo applicationInfo;
}
