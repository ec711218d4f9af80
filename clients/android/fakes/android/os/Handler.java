package android.os;

/** A fake for tests. */
public class Handler {
    public Handler(Looper looper) {}

    public final boolean post(Runnable block) {
        Looper.FAKE_MAIN_THREAD.execute(block);
        return true;
    }
}
