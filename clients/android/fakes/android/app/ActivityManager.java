package android.app;

import fakes.FakePhone;

/** A fake for tests. */
public class ActivityManager {
    public static void getMyMemoryState(RunningAppProcessInfo state) {
        state.importance = FakePhone.get().importance;
    }

    public static class RunningAppProcessInfo {
        public static final int IMPORTANCE_FOREGROUND = 100;
        public int importance;
    }
}
