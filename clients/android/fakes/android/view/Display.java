package android.view;

import android.util.DisplayMetrics;
import fakes.FakePhone;

/** A fake for tests. */
public final class Display {
    public static final int DEFAULT_DISPLAY = 0;

    public void getRealMetrics(DisplayMetrics metrics) {
        DisplayMetrics screen = FakePhone.get().screen;
        metrics.widthPixels = screen.widthPixels;
        metrics.heightPixels = screen.heightPixels;
        metrics.density = screen.density;
    }
}
