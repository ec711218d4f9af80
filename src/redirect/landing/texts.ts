interface Translation {
  /** Shown while the script redirects. */
  readonly redirecting: string;
  readonly getApp: string;
  readonly openApp: string;
  /** Shown if the button copies a clipboard token. */
  readonly copiesCode: string;
  /** For devices that the app does not run on. */
  readonly openOnPhone: string;
  /** Label of a link to a destination that is no store. */
  readonly goOn: string;
  /** For devices without a destination. */
  readonly opensInApp: string;
}

/** The landing page's texts in one language. */
export interface Texts extends Translation {
  readonly language: string;
  readonly direction: 'ltr' | 'rtl';
}

/** The twelve languages with the most speakers (Ethnologue 2025), and Japanese for its number of phones. */
const TRANSLATIONS: Readonly<Record<string, Translation>> = {
  en: {
    redirecting: 'Taking you to the app…',
    getApp: 'Get the app',
    openApp: 'Open the app',
    copiesCode: 'A tap also copies a code with which the app opens the right page.',
    openOnPhone: 'Open this link on your phone to get the app.',
    goOn: 'Continue',
    opensInApp: 'This link leads into a mobile app.',
  },
  zh: {
    redirecting: '正在前往应用…',
    getApp: '获取应用',
    openApp: '打开应用',
    copiesCode: '点按还会复制一段代码，以便应用打开正确的页面。',
    openOnPhone: '请在手机上打开此链接以获取应用。',
    goOn: '继续',
    opensInApp: '此链接用于打开移动应用。',
  },
  hi: {
    redirecting: 'आपको ऐप पर ले जाया जा रहा है…',
    getApp: 'ऐप पाएँ',
    openApp: 'ऐप खोलें',
    copiesCode: 'टैप करने पर एक कोड भी कॉपी होता है, जिससे ऐप सही पेज खोलता है।',
    openOnPhone: 'ऐप पाने के लिए यह लिंक अपने फ़ोन पर खोलें।',
    goOn: 'जारी रखें',
    opensInApp: 'यह लिंक एक मोबाइल ऐप में खुलता है।',
  },
  es: {
    redirecting: 'Te llevamos a la app…',
    getApp: 'Obtener la app',
    openApp: 'Abrir la app',
    copiesCode: 'Al tocar también se copia un código con el que la app abre la página correcta.',
    openOnPhone: 'Abre este enlace en tu teléfono para obtener la app.',
    goOn: 'Continuar',
    opensInApp: 'Este enlace lleva a una app móvil.',
  },
  ar: {
    redirecting: 'جارٍ نقلك إلى التطبيق…',
    getApp: 'احصل على التطبيق',
    openApp: 'افتح التطبيق',
    copiesCode: 'عند النقر يُنسخ أيضًا رمز يتيح للتطبيق فتح الصفحة الصحيحة.',
    openOnPhone: 'افتح هذا الرابط على هاتفك للحصول على التطبيق.',
    goOn: 'متابعة',
    opensInApp: 'يفتح هذا الرابط تطبيقًا على الهاتف.',
  },
  fr: {
    redirecting: 'Nous vous dirigeons vers l’application…',
    getApp: 'Obtenir l’application',
    openApp: 'Ouvrir l’application',
    copiesCode: 'Ce bouton copie aussi un code qui permet à l’application d’ouvrir la bonne page.',
    openOnPhone: 'Ouvrez ce lien sur votre téléphone pour obtenir l’application.',
    goOn: 'Continuer',
    opensInApp: 'Ce lien mène à une application mobile.',
  },
  bn: {
    redirecting: 'আপনাকে অ্যাপে নিয়ে যাওয়া হচ্ছে…',
    getApp: 'অ্যাপটি নিন',
    openApp: 'অ্যাপ খুলুন',
    copiesCode: 'ট্যাপ করলে একটি কোডও কপি হয়, যা দিয়ে অ্যাপ সঠিক পৃষ্ঠা খোলে।',
    openOnPhone: 'অ্যাপটি পেতে এই লিংকটি আপনার ফোনে খুলুন।',
    goOn: 'চালিয়ে যান',
    opensInApp: 'এই লিংকটি একটি মোবাইল অ্যাপে খোলে।',
  },
  pt: {
    redirecting: 'Levando você para o app…',
    getApp: 'Obter o app',
    openApp: 'Abrir o app',
    copiesCode: 'O toque também copia um código com que o app abre a página certa.',
    openOnPhone: 'Abra este link no seu celular para obter o app.',
    goOn: 'Continuar',
    opensInApp: 'Este link leva a um app de celular.',
  },
  ru: {
    redirecting: 'Переходим к приложению…',
    getApp: 'Установить приложение',
    openApp: 'Открыть приложение',
    copiesCode: 'При нажатии также копируется код, по которому приложение откроет нужную страницу.',
    openOnPhone: 'Откройте эту ссылку на телефоне, чтобы установить приложение.',
    goOn: 'Продолжить',
    opensInApp: 'Эта ссылка ведёт в мобильное приложение.',
  },
  id: {
    redirecting: 'Membawa Anda ke aplikasi…',
    getApp: 'Dapatkan aplikasi',
    openApp: 'Buka aplikasi',
    copiesCode: 'Ketukan juga menyalin kode agar aplikasi membuka halaman yang tepat.',
    openOnPhone: 'Buka tautan ini di ponsel Anda untuk mendapatkan aplikasi.',
    goOn: 'Lanjutkan',
    opensInApp: 'Tautan ini menuju ke aplikasi seluler.',
  },
  ur: {
    redirecting: 'آپ کو ایپ پر لے جایا جا رہا ہے…',
    getApp: 'ایپ حاصل کریں',
    openApp: 'ایپ کھولیں',
    copiesCode: 'ٹیپ کرنے سے ایک کوڈ بھی کاپی ہوتا ہے جس سے ایپ درست صفحہ کھولتی ہے۔',
    openOnPhone: 'ایپ حاصل کرنے کے لیے یہ لنک اپنے فون پر کھولیں۔',
    goOn: 'جاری رکھیں',
    opensInApp: 'یہ لنک ایک موبائل ایپ میں کھلتا ہے۔',
  },
  de: {
    redirecting: 'Es geht weiter zur App …',
    getApp: 'App holen',
    openApp: 'App öffnen',
    copiesCode: 'Beim Tippen wird auch ein Code kopiert, mit dem die App die richtige Seite öffnet.',
    openOnPhone: 'Öffne diesen Link auf deinem Handy, um die App zu bekommen.',
    goOn: 'Weiter',
    opensInApp: 'Dieser Link führt in eine App auf dem Handy.',
  },
  ja: {
    redirecting: 'アプリに移動しています…',
    getApp: 'アプリを入手',
    openApp: 'アプリを開く',
    copiesCode: 'タップするとコードもコピーされ、アプリが正しいページを開けます。',
    openOnPhone: 'アプリを入手するには、このリンクをスマートフォンで開いてください。',
    goOn: '続ける',
    opensInApp: 'このリンクはモバイルアプリで開きます。',
  },
};

const RIGHT_TO_LEFT = new Set(['ar', 'ur']);

const TEXTS = new Map(
  Object.entries(TRANSLATIONS).map(([language, translation]): [string, Texts] => {
    const direction = RIGHT_TO_LEFT.has(language) ? 'rtl' : 'ltr';
    return [language, { language, direction, ...translation }];
  }),
);
const ENGLISH = TEXTS.get('en') as Texts;

/** Lower-case codes of the available languages. */
export const LANGUAGES: readonly string[] = [...TEXTS.keys()];

/** Preferred languages come first; the rest of a longer header is ignored. */
const MAX_CHARACTERS = 256;
const RANGE = /^\s*([a-z]{2,3})(?:-[a-z0-9-]+)?\s*(?:;\s*q\s*=\s*([01](?:\.\d{1,3})?)\s*)?$/i;

/** The available language with the highest quality in `Accept-Language` (RFC 9110, 12.5.4); English if none matches. */
export function textsFor(acceptLanguage: string | undefined): Texts {
  let best = ENGLISH;
  let bestQuality = 0;
  for (const part of (acceptLanguage ?? '').slice(0, MAX_CHARACTERS).split(',')) {
    const [, language = '', quality = '1'] = RANGE.exec(part) ?? [];
    const texts = TEXTS.get(language.toLowerCase());
    if (texts === undefined || Number(quality) <= bestQuality) continue;
    best = texts;
    bestQuality = Number(quality);
  }
  return best;
}
