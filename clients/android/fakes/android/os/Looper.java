package android.os;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/** A fake for tests. */
public final class Looper {
    public static final ScheduledExecutorService FAKE_MAIN_THREAD =
            Executors.newSingleThreadScheduledExecutor(
                    block -> {
                        Thread thread = new Thread(block, "main");
                        thread.setDaemon(true);
                        return thread;
                    });

    public static Looper getMainLooper() {
        return new Looper();
    }
}
