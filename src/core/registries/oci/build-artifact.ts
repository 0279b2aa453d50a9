import { digestBytes, describeBytes, type Descriptor } from './descriptor.ts'
import {
  ATTESTATION_TYPE,
  EMPTY_TYPE,
  MANIFEST_TYPE,
  SKILL_CONFIG_TYPE,
  SKILL_LAYER_TYPE,
  SKILL_TYPE,
  TITLE,
  VERSION,
} from './media-types.ts'

/** Facts of the manifest that a registry shows. */
export interface ArtifactSkill {
  /** Name of the folder, as hosts of Agent Skills expect it. */
  folder: string
  version: string
  description: string
  license?: string | undefined
  compatibility?: string | undefined
}

/** A manifest with the content that it names. Equal files give equal bytes. */
export interface OciArtifact {
  manifest: Buffer
  /** Digest of the manifest. */
  digest: string
  blobs: readonly Uint8Array[]
}

/**
 * A fixed time: tools expect the annotation, and a real time would change the digest with every
 * build.
 */
const CREATED = '1970-01-01T00:00:00Z'

/** Builds the artifact of a skill. Its layer is an archive with all files below its folder. */
export function buildSkillArtifact(layer: Uint8Array, skill: ArtifactSkill): OciArtifact {
  const config = encode({
    schemaVersion: '1',
    name: skill.folder,
    version: skill.version,
    description: skill.description,
    ...(skill.license !== undefined && { license: skill.license }),
    ...(skill.compatibility !== undefined && { compatibility: skill.compatibility }),
  })
  const manifest = encode({
    schemaVersion: 2,
    mediaType: MANIFEST_TYPE,
    artifactType: SKILL_TYPE,
    config: describeBytes(SKILL_CONFIG_TYPE, config),
    layers: [
      {
        ...describeBytes(SKILL_LAYER_TYPE, layer),
        annotations: { [TITLE]: `${skill.folder}-${skill.version}.tar.gz` },
      },
    ],
    annotations: {
      'io.agentskills.skill.name': skill.folder,
      'org.opencontainers.image.created': CREATED,
      'org.opencontainers.image.description': skill.description,
      ...(skill.license !== undefined && { 'org.opencontainers.image.licenses': skill.license }),
      [TITLE]: skill.folder,
      [VERSION]: skill.version,
    },
  })
  return { manifest, digest: digestBytes(manifest), blobs: [config, layer] }
}

/** Builds the manifest of the signatures of an artifact, which names it as its subject. */
export function buildAttestation(subject: Descriptor, envelopes: Uint8Array): OciArtifact {
  const empty = encode({})
  const manifest = encode({
    schemaVersion: 2,
    mediaType: MANIFEST_TYPE,
    artifactType: ATTESTATION_TYPE,
    config: describeBytes(EMPTY_TYPE, empty),
    layers: [describeBytes(ATTESTATION_TYPE, envelopes)],
    subject,
    annotations: { 'org.opencontainers.image.created': CREATED },
  })
  return { manifest, digest: digestBytes(manifest), blobs: [empty, envelopes] }
}

export function encode(document: object): Buffer {
  return Buffer.from(JSON.stringify(document))
}
