import { gunzipSync } from 'node:zlib'

/** Takes the place of the marker in the databases; both have the same length. */
const PLACEHOLDER = 'MARKERMARKERMARKERMARKERMARKERMARKERMARK'

/** SQLite databases of one row, compressed. */
const CHROME_COOKIES = [
  'H4sIAAAAAAACAwsO9MksSVVIyy/KTSxRMGZgYWBkZHBQUGBgYGCCYhhgBGIWND4hwMSgl8zIC1LMXM4ARKNgFIwCBo',
  'ZGNkZ2cWlpxsbkksSknNTk/PzszNRiKMXkHOTqGOKqEOLo5OOqABXUyMgvLonPTq1UKEmtKNHJS8xNhbDKEnNKoczU',
  'vOSiyoKS1JR4iGBSTn6STkFiSQZUuqIgsyi1OL60JFkhM68kNT21SBOSN9czANEoGAWjYHADf0Z2ZdVYHn42vfTMko',
  'zSJL3k/NzS4tSi+OLU4uLM/DxfxyBv1yDCpD6D/myr+X8bGADc5R0pAAgAAA==',
].join('')

const CHROME_LOGINS = [
  'H4sIAAAAAAACAwsO9MksSVVIyy/KTSxRMGZgYWBkZHBQUGBgYGCCYhhgBGIWND4hwMSgl8zIC1LMPJMBiEbBKBgFxI',
  'BURnZxSUnGRtWSxKSc1Jz89My8YgjJ5Bzk6hjiqhDi6OTjqgAR08gvygTS8aVFOQolqRUlOqXFqUV5ibmp8WWJOaWp',
  'ELGCxOLi8vyiFCQxTUjeXMkARKNgFIyCwQpCGVkctWMzSkoKiq309ZMS87L1UisScwtyUvXBRUBKapkDVEAvOT/X1z',
  'HI2zWIMAkAP/skUAAIAAA=',
].join('')

const FIREFOX_COOKIES = [
  'H4sIAAAAAAACAwsO9MksSVVIyy/KTSxRMGZgYWBkZHBQUGBgYGCCYhhgBGIWND4hwMSgl8zIC1LMXMQARKNgFIxw0M',
  'jNyC6urMzYGFuSmJSTmptfFZ+cn5+dmVqMxGRyDnJ1DHFVCHF08nFVQJLQyExRyMwrSU1PLVIoKMrMTSyqVMhOrdTJ',
  'S8xNVShJrSjRKUvMKYUyM/KLSyCsgsSSDAgrtaIgE6gHaoYmJG9uYgCiUTAKRsGgBz6M7AzSsfr8LMWpxcWZ+Xm+jk',
  'HerkGESb3E5OT80rySYr3UisTcgpxU/XLTKQwAALkAKAAIAAA=',
].join('')

const DATABASES = {
  'chrome cookies': CHROME_COOKIES,
  'chrome logins': CHROME_LOGINS,
  'firefox cookies': FIREFOX_COOKIES,
} as const

/** Creates a browser's database that has a marker as its only secret. */
export function createBrowserDatabase(kind: keyof typeof DATABASES, marker: string): Buffer {
  if (marker.length !== PLACEHOLDER.length) throw new Error('the marker has another length')
  const bytes = gunzipSync(Buffer.from(DATABASES[kind], 'base64'))
  return Buffer.from(bytes.toString('latin1').replace(PLACEHOLDER, marker), 'latin1')
}
