import dns from 'node:dns/promises'
import { syncBuiltinESMExports } from 'node:module'

/** Preloaded module that makes the host's resolver know the names of these tests. */
const ADDRESSES = {
  'api.example.test': '127.0.0.1',
  'other.example.test': '127.0.0.1',
  'inside.example.test': '10.1.2.3',
}

dns.lookup = async (name) => {
  const address = ADDRESSES[name]
  if (address === undefined)
    throw Object.assign(new Error(`ENOTFOUND ${name}`), { code: 'ENOTFOUND' })
  return [{ address, family: 4 }]
}
syncBuiltinESMExports()
