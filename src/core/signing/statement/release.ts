import type { ContentEntry, ContentMode } from '../../skills/content/content-manifest.ts'
import { digestContent } from '../../skills/content/content-manifest.ts'
import type { Manifest } from '../../skills/manifest/manifest.ts'
import { parsePlain, type JsonValue } from '../envelope/strict-json.ts'
import { parseSource } from '../trust/source.ts'
import { formatStatement, type StatementSubject } from './statement.ts'

/**
 * Type of the predicate of a release. It is a name and no address: a host name in it would belong
 * to its owner.
 */
export const RELEASE_TYPE = 'urn:skills-protocol:release:v1'

const MODES: readonly string[] = ['100644', '100755', '120000'] satisfies ContentMode[]
const MAX_FILES = 20_000

/** Facts that a release states, other than its subjects. */
export interface ReleaseFacts {
  /** Time of the signature by the signer's clock. */
  signedAt: string
  toolVersion: string
  files: readonly ContentEntry[]
  manifest: Manifest
  /** Origin of the files by the signer's account. */
  source?: ReleaseSource | undefined
}

export interface ReleaseSource {
  /** As `parseSource` returns it. */
  repo: string
  commit?: string | undefined
}

/** A parsed release statement. */
export interface Release {
  signedAt: string
  /** Digest of the files, which `files` have. */
  tree: string
  files: readonly ContentEntry[]
  source: ReleaseSource | undefined
  capabilities: unknown
}

export function formatRelease(
  subjects: readonly StatementSubject[],
  { signedAt, toolVersion, files, manifest, source }: ReleaseFacts,
): Buffer {
  return formatStatement(RELEASE_TYPE, subjects, {
    signedAt,
    tool: { name: 'skills-protocol', version: toolVersion },
    ...(source && { source }),
    capabilities: listCapabilities(manifest),
    content: { digest: digestContent(files), files },
  })
}

function listCapabilities({ kind, runtime, permissions, dependencies }: Manifest) {
  return {
    kind,
    language: runtime?.language ?? null,
    network: permissions.network,
    secrets: permissions.secrets,
    ...(permissions.secretUses && { secretUses: permissions.secretUses }),
    dependencies: dependencies ?? {},
  }
}

export function parseRelease(predicate: JsonValue): Release {
  const content = predicate.at('content')
  const source = predicate.at('source')
  const files = content.at('files').list(MAX_FILES).map(parseContentEntry)
  const tree = content.at('digest').matching(/^sha256:[0-9a-f]{64}$/, 'a SHA-256 digest')
  if (digestContent(files) !== tree) throw content.at('digest').refuse('the digest of its files')
  return {
    signedAt: predicate.at('signedAt').time(),
    tree,
    files,
    source: source.isAbsent ? undefined : parseReleaseSource(source),
    capabilities: predicate.at('capabilities').value,
  }
}

function parseReleaseSource(source: JsonValue): ReleaseSource {
  const [repo, commit] = [source.at('repo'), source.at('commit')]
  return {
    repo: parsePlain(repo, 'a source such as "github:owner/repo"', parseSource),
    ...(!commit.isAbsent && { commit: commit.text() }),
  }
}

function parseContentEntry(entry: JsonValue): ContentEntry {
  const mode = entry.at('mode')
  if (!MODES.includes(mode.text())) throw mode.refuse(`one of ${MODES.join(', ')}`)
  return {
    path: entry.at('path').text(),
    mode: mode.text() as ContentMode,
    size: entry.at('size').count(),
    sha256: entry.at('sha256').matching(/^[0-9a-f]{64}$/, '64 hexadecimal digits'),
  }
}
