import { parseStrictJson, type JsonValue, type RefuseJson } from '../envelope/strict-json.ts'

/** The payload type of in-toto statements. */
export const STATEMENT_PAYLOAD = 'application/vnd.in-toto+json'
const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1'
/** Registries of npm, and older tools, write version 0.1, which has the same members. */
const STATEMENT_TYPES: readonly unknown[] = [STATEMENT_TYPE, 'https://in-toto.io/Statement/v0.1']

/** Something that a statement is about: a skill in a version, or an archive. */
export interface StatementSubject {
  /** `<skill>@<version>`, or the name of a file. */
  name: string
  /** `sha256:<hex>`; `sha512:<hex>` in the statements of npm. */
  digest: string
}

/** A parsed statement, whose predicate is read by its type. */
export interface ParsedStatement {
  subjects: readonly StatementSubject[]
  predicateType: string
  predicate: JsonValue
}

const MAX_SUBJECTS = 64
const HEX_DIGEST = /^[0-9a-f]{64}$/
const HEX_SHA512 = /^[0-9a-f]{128}$/

/** Encodes an in-toto Statement v1. */
export function formatStatement(
  predicateType: string,
  subjects: readonly StatementSubject[],
  predicate: object,
): Buffer {
  const subject = subjects.map(({ name, digest }) => ({
    name,
    digest: { sha256: digest.replace(/^sha256:/, '') },
  }))
  return Buffer.from(JSON.stringify({ _type: STATEMENT_TYPE, subject, predicateType, predicate }))
}

/** Parses a statement whose signature is valid. Unknown members are ignored, as in-toto demands. */
export function parseStatement(payload: Buffer, refuse: RefuseJson): ParsedStatement {
  const statement = parseStrictJson(decodePayload(payload, refuse), refuse)
  const type = statement.at('_type')
  if (!STATEMENT_TYPES.includes(type.value)) throw type.refuse(`"${STATEMENT_TYPE}"`)
  return {
    predicateType: statement.at('predicateType').text(),
    predicate: statement.at('predicate'),
    subjects: statement
      .at('subject')
      .list(MAX_SUBJECTS)
      .flatMap((each) => {
        const [sha256, sha512] = [each.at('digest').at('sha256'), each.at('digest').at('sha512')]
        // Statements of other tools may use other digests.
        if (sha256.isAbsent && sha512.isAbsent) return []
        return {
          name: each.at('name').text(),
          digest: sha256.isAbsent
            ? `sha512:${sha512.matching(HEX_SHA512, '128 hexadecimal digits')}`
            : `sha256:${sha256.matching(HEX_DIGEST, '64 hexadecimal digits')}`,
        }
      }),
  }
}

function decodePayload(payload: Buffer, refuse: RefuseJson): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(payload)
  } catch {
    throw refuse('it is not UTF-8')
  }
}
