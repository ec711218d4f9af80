package android.os;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A fake for tests. */
public final class Looper {
    public static final ExecutorService FAKE_MAIN_THREAD =
            Executors.newSingleThreadExecutor(
                    block -> {
                        Thread thread = new Thread(block, "main");
                        thread.setDaemon(true);
                        return thread;
                    });

    public static Looper getMainLooper() {
        return new Looper();
    }
}
