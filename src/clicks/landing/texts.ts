/** What a landing page says, in one language. */
export interface Texts {
  readonly language: string;
  readonly direction: 'ltr' | 'rtl';
  /** While the page goes on by itself. */
  readonly goingOn: string;
  readonly getApp: string;
  readonly openApp: string;
  /** Where the button copies a code. */
  readonly copies: string;
  /** On devices that the app does not run on. */
  readonly onPhone: string;
  /** Where the way leads to no store. */
  readonly goOn: string;
  /** Where there is no way on from this device. */
  readonly leadsIntoApp: string;
}

type Row = [
  goingOn: string,
  getApp: string,
  openApp: string,
  copies: string,
  onPhone: string,
  goOn: string,
  leadsIntoApp: string,
];

/** The twelve with the most speakers (Ethnologue 2025), and Japanese, which has more phones than some of these. */
const ROWS: Readonly<Record<string, Row>> = {
  en: [
    'Taking you to the app…',
    'Get the app',
    'Open the app',
    'A tap also copies a code with which the app opens the right page.',
    'Open this link on your phone to get the app.',
    'Continue',
    'This link leads into a mobile app.',
  ],
  zh: [
    '正在前往应用…',
    '获取应用',
    '打开应用',
    '点按还会复制一段代码，以便应用打开正确的页面。',
    '请在手机上打开此链接以获取应用。',
    '继续',
    '此链接用于打开移动应用。',
  ],
  hi: [
    'आपको ऐप पर ले जाया जा रहा है…',
    'ऐप पाएँ',
    'ऐप खोलें',
    'टैप करने पर एक कोड भी कॉपी होता है, जिससे ऐप सही पेज खोलता है।',
    'ऐप पाने के लिए यह लिंक अपने फ़ोन पर खोलें।',
    'जारी रखें',
    'यह लिंक एक मोबाइल ऐप में खुलता है।',
  ],
  es: [
    'Te llevamos a la app…',
    'Obtener la app',
    'Abrir la app',
    'Al tocar también se copia un código con el que la app abre la página correcta.',
    'Abre este enlace en tu teléfono para obtener la app.',
    'Continuar',
    'Este enlace lleva a una app móvil.',
  ],
  ar: [
    'جارٍ نقلك إلى التطبيق…',
    'احصل على التطبيق',
    'افتح التطبيق',
    'عند النقر يُنسخ أيضًا رمز يتيح للتطبيق فتح الصفحة الصحيحة.',
    'افتح هذا الرابط على هاتفك للحصول على التطبيق.',
    'متابعة',
    'يفتح هذا الرابط تطبيقًا على الهاتف.',
  ],
  fr: [
    'Nous vous dirigeons vers l’application…',
    'Obtenir l’application',
    'Ouvrir l’application',
    'Ce bouton copie aussi un code qui permet à l’application d’ouvrir la bonne page.',
    'Ouvrez ce lien sur votre téléphone pour obtenir l’application.',
    'Continuer',
    'Ce lien mène à une application mobile.',
  ],
  bn: [
    'আপনাকে অ্যাপে নিয়ে যাওয়া হচ্ছে…',
    'অ্যাপটি নিন',
    'অ্যাপ খুলুন',
    'ট্যাপ করলে একটি কোডও কপি হয়, যা দিয়ে অ্যাপ সঠিক পৃষ্ঠা খোলে।',
    'অ্যাপটি পেতে এই লিংকটি আপনার ফোনে খুলুন।',
    'চালিয়ে যান',
    'এই লিংকটি একটি মোবাইল অ্যাপে খোলে।',
  ],
  pt: [
    'Levando você para o app…',
    'Obter o app',
    'Abrir o app',
    'O toque também copia um código com que o app abre a página certa.',
    'Abra este link no seu celular para obter o app.',
    'Continuar',
    'Este link leva a um app de celular.',
  ],
  ru: [
    'Переходим к приложению…',
    'Установить приложение',
    'Открыть приложение',
    'При нажатии также копируется код, по которому приложение откроет нужную страницу.',
    'Откройте эту ссылку на телефоне, чтобы установить приложение.',
    'Продолжить',
    'Эта ссылка ведёт в мобильное приложение.',
  ],
  id: [
    'Membawa Anda ke aplikasi…',
    'Dapatkan aplikasi',
    'Buka aplikasi',
    'Ketukan juga menyalin kode agar aplikasi membuka halaman yang tepat.',
    'Buka tautan ini di ponsel Anda untuk mendapatkan aplikasi.',
    'Lanjutkan',
    'Tautan ini menuju ke aplikasi seluler.',
  ],
  ur: [
    'آپ کو ایپ پر لے جایا جا رہا ہے…',
    'ایپ حاصل کریں',
    'ایپ کھولیں',
    'ٹیپ کرنے سے ایک کوڈ بھی کاپی ہوتا ہے جس سے ایپ درست صفحہ کھولتی ہے۔',
    'ایپ حاصل کرنے کے لیے یہ لنک اپنے فون پر کھولیں۔',
    'جاری رکھیں',
    'یہ لنک ایک موبائل ایپ میں کھلتا ہے۔',
  ],
  de: [
    'Es geht weiter zur App …',
    'App holen',
    'App öffnen',
    'Beim Tippen wird auch ein Code kopiert, mit dem die App die richtige Seite öffnet.',
    'Öffne diesen Link auf deinem Handy, um die App zu bekommen.',
    'Weiter',
    'Dieser Link führt in eine App auf dem Handy.',
  ],
  ja: [
    'アプリに移動しています…',
    'アプリを入手',
    'アプリを開く',
    'タップするとコードもコピーされ、アプリが正しいページを開けます。',
    'アプリを入手するには、このリンクをスマートフォンで開いてください。',
    '続ける',
    'このリンクはモバイルアプリで開きます。',
  ],
};

const RIGHT_TO_LEFT = new Set(['ar', 'ur']);

const TEXTS = new Map(
  Object.entries(ROWS).map(([language, [goingOn, getApp, openApp, copies, onPhone, goOn, leadsIntoApp]]) => {
    const direction = RIGHT_TO_LEFT.has(language) ? 'rtl' : 'ltr';
    return [
      language,
      { language, direction, goingOn, getApp, openApp, copies, onPhone, goOn, leadsIntoApp } satisfies Texts,
    ];
  }),
);
const ENGLISH = TEXTS.get('en') as Texts;

/** The languages that there are texts in, by their codes in lower case. */
export const LANGUAGES: readonly string[] = [...TEXTS.keys()];

/** A header longer than this names the languages that matter in what comes first. */
const MAX_CHARACTERS = 256;
const RANGE = /^\s*([a-z]{2,3})(?:-[a-z0-9-]+)?\s*(?:;\s*q\s*=\s*([01](?:\.\d{1,3})?)\s*)?$/i;

/** The texts in the language that a visitor likes best of those there are (RFC 9110, 12.5.4); English where there is none. */
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
