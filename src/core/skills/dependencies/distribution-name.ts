/** Packages of Python's index by the module that code imports, where the names differ. */
const DISTRIBUTIONS: Readonly<Record<string, string>> = {
  Crypto: 'pycryptodome',
  OpenSSL: 'pyopenssl',
  PIL: 'pillow',
  attr: 'attrs',
  bs4: 'beautifulsoup4',
  cv2: 'opencv-python',
  dateutil: 'python-dateutil',
  discord: 'discord.py',
  docx: 'python-docx',
  dotenv: 'python-dotenv',
  fitz: 'pymupdf',
  git: 'gitpython',
  jwt: 'pyjwt',
  magic: 'python-magic',
  pptx: 'python-pptx',
  psycopg2: 'psycopg2-binary',
  serial: 'pyserial',
  skimage: 'scikit-image',
  sklearn: 'scikit-learn',
  slugify: 'python-slugify',
  telegram: 'python-telegram-bot',
  yaml: 'pyyaml',
}

/** The package that has a module of Python, as far as its name is known. */
export function getDistributionName(module: string): string {
  const known = Object.hasOwn(DISTRIBUTIONS, module) ? DISTRIBUTIONS[module] : undefined
  return known ?? module
}

/** The same for all spellings of a package's name. */
export function foldDistributionName(name: string): string {
  return name.toLowerCase().replaceAll(/[._-]+/g, '-')
}
