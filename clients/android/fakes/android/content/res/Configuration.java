package android.content.res;

import android.os.LocaleList;

/** A fake for tests. */
public final class Configuration {
    public LocaleList getLocales() {
        return new LocaleList();
    }
}
