package android.hardware.display;

import android.view.Display;
import fakes.FakePhone;

/** A fake for tests. */
public final class DisplayManager {
    public Display getDisplay(int id) {
        return FakePhone.get().screen == null ? null : new Display();
    }
}
