parcelable android.os.Bundle;
