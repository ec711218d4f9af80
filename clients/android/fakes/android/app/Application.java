package android.app;

import android.content.Context;
import android.os.Bundle;
import fakes.FakePhone;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A fake for tests. */
public class Application extends Context {
    public final List<ActivityLifecycleCallbacks> fakeCallbacks = new CopyOnWriteArrayList<>();

    public static String getProcessName() {
        return FakePhone.get().processName;
    }

    public void registerActivityLifecycleCallbacks(ActivityLifecycleCallbacks callbacks) {
        fakeCallbacks.add(callbacks);
    }

    public void unregisterActivityLifecycleCallbacks(ActivityLifecycleCallbacks callbacks) {
        fakeCallbacks.remove(callbacks);
    }

    public interface ActivityLifecycleCallbacks {
        void onActivityCreated(Activity activity, Bundle savedInstanceState);

        void onActivityStarted(Activity activity);

        void onActivityResumed(Activity activity);

        void onActivityPaused(Activity activity);

        void onActivityStopped(Activity activity);

        void onActivitySaveInstanceState(Activity activity, Bundle outState);

        void onActivityDestroyed(Activity activity);
    }
}
