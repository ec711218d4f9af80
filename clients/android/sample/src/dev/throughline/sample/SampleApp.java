package dev.throughline.sample;

import android.app.Application;
import dev.throughline.android.Throughline;
import dev.throughline.android.ThroughlineConfig;

public final class SampleApp extends Application {
    @Override
    public void onCreate() {
        super.onCreate();
        // Your service and a publishable test key.
        ThroughlineConfig config = new ThroughlineConfig("https://go.example.com", "svc_test_pub_…");
        config.setDebug(true);
        Throughline.start(this, config);
    }
}
