package android.util;

import fakes.FakePhone;

/** A fake for tests. */
public final class Log {
    public static int d(String tag, String message) {
        return FakePhone.get().log(tag, message);
    }

    public static int w(String tag, String message) {
        return FakePhone.get().log(tag, message);
    }

    public static int e(String tag, String message) {
        return FakePhone.get().log(tag, message);
    }
}
