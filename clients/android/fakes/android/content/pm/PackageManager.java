package android.content.pm;

import fakes.FakePhone;

/** A fake for tests. */
public class PackageManager {
    public PackageInfo getPackageInfo(String packageName, int flags) {
        return FakePhone.get().packageInfo;
    }

    public ProviderInfo resolveContentProvider(String authority, int flags) {
        return FakePhone.get().meta.resolve(authority);
    }
}
