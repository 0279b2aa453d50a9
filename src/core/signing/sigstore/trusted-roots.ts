import { splitJsonLines } from '../envelope/json-lines.ts'
import { parseStrictJson, type JsonValue, type RefuseJson } from '../envelope/strict-json.ts'

/** One instance of sigstore: its authorities and logs. */
export interface TrustedInstance {
  /** The document, as parsed. */
  document: unknown
  /** Numbers of logs and times that a bundle needs. */
  thresholds: { ctlogThreshold: number; tlogThreshold: number; timestampThreshold: number }
}

const MAX_INSTANCES = 8
const MAX_AUTHORITIES = 100

/** Parses `trusted_root.json`, or JSON Lines with several instances as `gh` writes them. */
export function parseTrustedRoots(text: string, refuse: RefuseJson): TrustedInstance[] {
  const lines = splitJsonLines(text)
  if (lines.length === 0) throw refuse('it is empty')
  if (lines.length > MAX_INSTANCES) throw refuse(`it has more than ${MAX_INSTANCES} lines`)
  return lines.map((line, at) =>
    parseInstance(
      parseStrictJson(line, (problem) =>
        refuse(lines.length === 1 ? problem : `line ${at + 1}: ${problem}`),
      ),
    ),
  )
}

/** A log that the instance has is required: the signer could leave it out otherwise. */
function parseInstance(root: JsonValue): TrustedInstance {
  root.at('mediaType').matching(/^application\/vnd\.dev\.sigstore\.trustedroot/, 'a trusted root')
  const count = (name: string) => {
    const list = root.at(name)
    return list.isAbsent ? 0 : list.list(MAX_AUTHORITIES).length
  }
  if (count('tlogs') + count('timestampAuthorities') === 0) {
    throw root.refuse('a log or an authority of time')
  }
  return {
    document: root.value,
    thresholds: {
      ctlogThreshold: Math.min(count('ctlogs'), 1),
      tlogThreshold: Math.min(count('tlogs'), 1),
      // Without a time, the period in which a certificate is valid would mean nothing.
      timestampThreshold: 1,
    },
  }
}
