package android.os;

/** A fake for tests. */
public final class SystemClock {
    public static long elapsedRealtime() {
        return System.nanoTime() / 1_000_000;
    }
}
