package android.os;

import fakes.FakePhone;
import java.util.Locale;

/** A fake for tests. */
public final class LocaleList {
    public Locale get(int index) {
        return FakePhone.get().locale;
    }
}
