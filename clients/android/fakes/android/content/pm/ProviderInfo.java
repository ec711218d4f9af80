package android.content.pm;

/** A fake for tests. */
public final class ProviderInfo {
    public String packageName;
}
