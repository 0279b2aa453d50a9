import { hash } from 'node:crypto'
import { parseStrictJson, type JsonValue } from '../../signing/envelope/strict-json.ts'
import { refusedContentError } from '../http/registry-error.ts'

/** Content of a registry by its digest. */
export interface Descriptor {
  mediaType: string
  /** `sha256:<hex>`. */
  digest: string
  /** Bytes. */
  size: number
  artifactType?: string
  annotations?: Readonly<Record<string, string>>
}

/** A manifest or an index, of which only one of the lists is there. */
export interface OciDocument {
  mediaType: string
  artifactType: string | undefined
  config: Descriptor | undefined
  layers: readonly Descriptor[] | undefined
  manifests: readonly Descriptor[] | undefined
  subject: Descriptor | undefined
  annotations: Readonly<Record<string, string>>
}

export const DIGEST = /^sha256:[0-9a-f]{64}$/
const MAX_ENTRIES = 1000

export function digestBytes(bytes: Uint8Array): string {
  return `sha256:${hash('sha256', bytes)}`
}

export function describeBytes(mediaType: string, bytes: Uint8Array): Descriptor {
  return { mediaType, digest: digestBytes(bytes), size: bytes.length }
}

/**
 * Parses a manifest or an index. One that could be both, or whose own type differs from the one of
 * its response, is refused: another client would see other content.
 */
export function parseOciDocument(bytes: Buffer, served: string, source: string): OciDocument {
  const refuse = (problem: string) => refusedContentError(source, `in its manifest, ${problem}`)
  const value = parseStrictJson(bytes.toString('utf8'), refuse)
  if (value.at('schemaVersion').value !== 2) throw value.at('schemaVersion').refuse('2')
  const written = value.at('mediaType')
  if (!written.isAbsent && written.text() !== served) {
    throw refuse(`the type is "${written.text()}", and the registry says "${served}"`)
  }
  const [layers, manifests] = [value.at('layers'), value.at('manifests')]
  if (!layers.isAbsent && !manifests.isAbsent) throw refuse('it has both layers and manifests')
  return {
    mediaType: served,
    artifactType: parseOptional(value.at('artifactType'), (each) => each.text()),
    config: parseOptional(value.at('config'), parseDescriptor),
    layers: parseOptional(layers, (each) => each.list(MAX_ENTRIES).map(parseDescriptor)),
    manifests: parseOptional(manifests, (each) => each.list(MAX_ENTRIES).map(parseDescriptor)),
    subject: parseOptional(value.at('subject'), parseDescriptor),
    annotations: parseAnnotations(value.at('annotations')) ?? {},
  }
}

function parseOptional<T>(value: JsonValue, parse: (value: JsonValue) => T): T | undefined {
  return value.value === undefined || value.value === null ? undefined : parse(value)
}

/** Other addresses of the content, in `urls`, are ignored. */
function parseDescriptor(value: JsonValue): Descriptor {
  const artifactType = parseOptional(value.at('artifactType'), (each) => each.text())
  const annotations = parseAnnotations(value.at('annotations'))
  return {
    mediaType: value.at('mediaType').text(),
    digest: value.at('digest').matching(DIGEST, 'a SHA-256 digest'),
    size: value.at('size').count(),
    ...(artifactType !== undefined && { artifactType }),
    ...(annotations && { annotations }),
  }
}

function parseAnnotations(value: JsonValue): Record<string, string> | undefined {
  return parseOptional(value, (each) =>
    Object.fromEntries(
      Object.keys(each.value as object).map((key) => [key, each.at(key).text()] as const),
    ),
  )
}
