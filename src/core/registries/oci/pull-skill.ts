import type { PackedFile } from '../../packing/packed-file.ts'
import { ArchiveEntries } from '../../packing/read/archive-entries.ts'
import { DOWNLOAD_LIMITS } from '../../packing/read/archive-error.ts'
import { readArchive } from '../../packing/read/read-archive.ts'
import { removeWrapper } from '../../packing/read/remove-wrapper.ts'
import { SkillsError } from '../../../errors.ts'
import { refusedContentError } from '../http/registry-error.ts'
import { parseOciDocument, type Descriptor, type OciDocument } from './descriptor.ts'
import {
  ARCHIVE_LAYER_TYPES,
  FILE_LAYER_TYPES,
  INDEX_TYPES,
  MANIFEST_TYPES,
  TITLE,
} from './media-types.ts'
import { formatReference, type OciClient, type StoredManifest } from './oci-client.ts'

/** The files of an artifact. */
export interface PulledSkill {
  files: readonly PackedFile[]
  /** Digest of the manifest with the layers, which signatures name. */
  manifestDigest: string
  /** Digest of the layer, if it is one archive. */
  archiveDigest: string | undefined
  /** Digest of what the reference names: an index, or the same manifest. */
  digest: string
}

const MAX_PLATFORMS = 16

/** Reads a skill by its tag or digest. Each document is read once, and then named by its digest. */
export async function pullSkill(client: OciClient, reference: string): Promise<PulledSkill> {
  const named = await requireManifest(client, reference)
  const { manifest, layers } = await chooseManifest(client, named)
  const archives = layers.filter(({ mediaType }) => ARCHIVE_LAYER_TYPES.includes(mediaType))
  const common = { manifestDigest: manifest.digest, digest: named.digest }
  const source = formatReference(client.name, reference)
  if (archives.length > 1) {
    throw refusedContentError(source, `it has ${archives.length} archives, expected one`)
  }
  const [archive] = archives
  if (archive) {
    const bytes = await client.readBlob(archive, DOWNLOAD_LIMITS.archiveBytes)
    if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) {
      throw refusedContentError(source, 'its layer is not a gzipped tar archive')
    }
    const files = removeWrapper(await readArchive(bytes))
    return { ...common, files, archiveDigest: archive.digest }
  }
  const files = await readFileLayers(client, layers, source)
  return { ...common, files: removeWrapper(files), archiveDigest: undefined }
}

async function requireManifest(client: OciClient, reference: string): Promise<StoredManifest> {
  const stored = await client.readManifest(reference)
  if (stored) return stored
  const source = formatReference(client.name, reference)
  throw new SkillsError('skill/version-not-found', `There is no "${source}"`, {
    hint: 'Check the repository, and its tag or digest',
  })
}

interface ChosenManifest {
  manifest: StoredManifest
  layers: readonly Descriptor[]
}

/** The manifest itself, or the only content of an index. */
async function chooseManifest(client: OciClient, named: StoredManifest): Promise<ChosenManifest> {
  if (!INDEX_TYPES.includes(named.mediaType)) {
    return { manifest: named, layers: readLayers(client, named) }
  }
  const source = formatReference(client.name, named.digest)
  const { manifests = [] } = parseStored(named, source)
  if (manifests.length > MAX_PLATFORMS) {
    throw refusedContentError(source, `it lists more than ${MAX_PLATFORMS} manifests`)
  }
  const found: ChosenManifest[] = []
  for (const { digest } of manifests) {
    const manifest = await requireManifest(client, digest)
    found.push({ manifest, layers: readLayers(client, manifest) })
  }
  const [first] = found
  if (!first) throw refusedContentError(source, 'its index is empty')
  // Some tools list one manifest for each platform, with the same layers.
  const key = ({ layers }: ChosenManifest) => layers.map(({ digest }) => digest).join()
  if (found.every((each) => key(each) === key(first))) return first
  const lines = manifests.map(({ digest, annotations = {} }) => {
    const name = annotations['io.agentskills.skill.name'] ?? annotations[TITLE] ?? 'a skill'
    return `${name} is ${client.name}@${digest}`
  })
  throw new SkillsError('usage/invalid', `"${source}" has ${manifests.length} skills`, {
    hint: `Name one by its digest: ${lines.join(', ')}`,
  })
}

function readLayers(client: OciClient, stored: StoredManifest): readonly Descriptor[] {
  const source = formatReference(client.name, stored.digest)
  if (!MANIFEST_TYPES.includes(stored.mediaType)) {
    throw refusedContentError(source, `its type is "${stored.mediaType}", expected a manifest`)
  }
  const { layers = [] } = parseStored(stored, source)
  const isKnown = ({ mediaType }: Descriptor) =>
    ARCHIVE_LAYER_TYPES.includes(mediaType) || FILE_LAYER_TYPES.includes(mediaType)
  if (layers.some((each) => isKnown(each))) return layers
  const types = layers.map(({ mediaType }) => `"${mediaType}"`).join(', ') || 'none'
  throw refusedContentError(source, `it has no layer with files of a skill (types: ${types})`)
}

function parseStored({ bytes, mediaType }: StoredManifest, source: string): OciDocument {
  return parseOciDocument(bytes, mediaType, source)
}

/** Artifacts with one layer for each file, whose path is the title. */
async function readFileLayers(
  client: OciClient,
  layers: readonly Descriptor[],
  source: string,
): Promise<PackedFile[]> {
  const entries = new ArchiveEntries(DOWNLOAD_LIMITS)
  let left = DOWNLOAD_LIMITS.bytes
  for (const layer of layers) {
    const path = layer.annotations?.[TITLE]
    if (path === undefined) throw refusedContentError(source, 'it has a layer without a path')
    const bytes = await client.readBlob(layer, left)
    left -= bytes.length
    entries.countEntry()
    entries.addFile({ path, isExecutable: false, bytes })
  }
  return entries.files
}
