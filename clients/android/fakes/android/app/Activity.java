package android.app;

import android.content.Context;
import android.content.Intent;

/** A fake for tests. */
public class Activity extends Context {
    private Intent intent;
    public boolean fakeHasFocus = true;
    public boolean fakeIsRotating;

    public Intent getIntent() {
        return intent;
    }

    public void setIntent(Intent intent) {
        this.intent = intent;
    }

    public boolean hasWindowFocus() {
        return fakeHasFocus;
    }

    public boolean isChangingConfigurations() {
        return fakeIsRotating;
    }
}
