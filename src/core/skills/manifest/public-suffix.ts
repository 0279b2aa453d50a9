/** Labels below which anyone can register a name in many countries, as in `co.uk` and `com.au`. */
const COUNTRY_LABELS: ReadonlySet<string> = new Set(
  (
    'ac art arts asn asso biz co com coop ed edu firm go gob gouv gov govt gv id ind info int k12 ' +
    'lg ltd me med mil mobi museum name ne net nhs nic nom or org perso plc press priv pro rec sc ' +
    'sch school store tm tv web'
  ).split(' '),
)

/** Countries in which every label is one of these. */
const DEEP_COUNTRIES: ReadonlySet<string> = new Set('bd ck er fk jm kh mm np pg'.split(' '))

/** Domains whose owner gives names below them to anyone: hosting, storage, tunnels. */
const SHARED_DOMAINS: ReadonlySet<string> = new Set([
  'amazonaws.com',
  's3.amazonaws.com',
  'awsapps.com',
  'elasticbeanstalk.com',
  'cloudfront.net',
  'on.aws',
  'azurewebsites.net',
  'azurestaticapps.net',
  'azureedge.net',
  'cloudapp.net',
  'cloudapp.azure.com',
  'windows.net',
  'core.windows.net',
  'blob.core.windows.net',
  'file.core.windows.net',
  'web.core.windows.net',
  'trafficmanager.net',
  'appspot.com',
  'blogspot.com',
  'cloudfunctions.net',
  'firebaseapp.com',
  'googleapis.com',
  'run.app',
  'web.app',
  'translate.goog',
  'cdn.cloudflare.net',
  'pages.dev',
  'r2.dev',
  'trycloudflare.com',
  'workers.dev',
  'bitbucket.io',
  'codeberg.page',
  'github.dev',
  'github.io',
  'githubpreview.dev',
  'githubusercontent.com',
  'gitlab.io',
  'deno.dev',
  'deno.net',
  'digitaloceanspaces.com',
  'ondigitalocean.app',
  'duckdns.org',
  'dyndns.org',
  'edgecompute.app',
  'fastly.net',
  'fly.dev',
  'glitch.me',
  'herokuapp.com',
  'hf.space',
  'hopto.org',
  'linodeobjects.com',
  'loca.lt',
  'lhr.life',
  'myshopify.com',
  'netlify.app',
  'ngrok.app',
  'ngrok.dev',
  'ngrok.io',
  'ngrok-free.app',
  'ngrok-free.dev',
  'nip.io',
  'no-ip.org',
  'onrender.com',
  'oraclecloud.com',
  'pythonanywhere.com',
  'railway.app',
  'repl.co',
  'replit.app',
  'replit.dev',
  'serveo.net',
  'sslip.io',
  'streamlit.app',
  'supabase.co',
  'surge.sh',
  'ts.net',
  'vercel.app',
  'vercel.dev',
  'wixsite.com',
  'wordpress.com',
  'xip.io',
])

/** A region of an object store, as in `s3.eu-west-1.amazonaws.com`. */
const STORE_REGION = /^s3[a-z-]*(?:[.-][a-z]+-[a-z]+-\d)?\.amazonaws\.com$/

/**
 * True for a domain below which names belong to unrelated owners: a top-level domain, or one of the
 * well-known domains under which anyone can register names. The list is not complete.
 */
export function isPublicSuffix(host: string): boolean {
  const labels = host.replace(/\.$/, '').split('.')
  const [first = '', country = ''] = labels
  if (labels.length === 1) return true
  if (labels.length === 2 && country.length === 2) {
    if (COUNTRY_LABELS.has(first) || DEEP_COUNTRIES.has(country)) return true
  }
  return SHARED_DOMAINS.has(labels.join('.')) || STORE_REGION.test(host)
}
