import { parseBundleValue, type SignedEnvelope } from './dsse.ts'
import { parseStrictJson, type RefuseJson } from './strict-json.ts'

const MAX_ATTESTATIONS = 16

/** True for the answer of an npm registry about the attestations of a version. */
export function isNpmAttestations(text: string): boolean {
  return /^\s*\{\s*"attestations"\s*:/.test(text)
}

/** Parses that answer, which has one bundle of sigstore in each entry. */
export function parseNpmAttestations(text: string, refuse: RefuseJson): SignedEnvelope[] {
  return parseStrictJson(text, refuse)
    .at('attestations')
    .list(MAX_ATTESTATIONS)
    .map((each) => parseBundleValue(each.at('bundle')))
}
