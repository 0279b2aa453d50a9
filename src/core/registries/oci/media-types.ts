/** Types of manifests, and of indexes that list manifests. */
export const MANIFEST_TYPE = 'application/vnd.oci.image.manifest.v1+json'
export const INDEX_TYPE = 'application/vnd.oci.image.index.v1+json'

const DOCKER_MANIFEST_TYPE = 'application/vnd.docker.distribution.manifest.v2+json'
const DOCKER_LIST_TYPE = 'application/vnd.docker.distribution.manifest.list.v2+json'

export const MANIFEST_TYPES: readonly string[] = [MANIFEST_TYPE, DOCKER_MANIFEST_TYPE]
export const INDEX_TYPES: readonly string[] = [INDEX_TYPE, DOCKER_LIST_TYPE]

/** The form that is written: the draft of Agent Skills as OCI artifacts. */
export const SKILL_TYPE = 'application/vnd.agentskills.skill.v1'
export const SKILL_CONFIG_TYPE = 'application/vnd.agentskills.skill.config.v1+json'
export const SKILL_LAYER_TYPE = 'application/vnd.agentskills.skill.content.v1.tar+gzip'

/** Layers with a gzipped tar archive of a skill, by the tools that write them. */
export const ARCHIVE_LAYER_TYPES: readonly string[] = [
  SKILL_LAYER_TYPE,
  'application/vnd.agent.skill.content.v1.tar+gzip',
  'application/vnd.cncf.skill.bundle.v1.tar+gzip',
  'application/vnd.cncf.skill.content.v1.tar+gzip',
  // Images, of ToolHive and others.
  'application/vnd.oci.image.layer.v1.tar+gzip',
  'application/vnd.docker.image.rootfs.diff.tar.gzip',
]

/** Layers with one file each, whose path is the title. */
export const FILE_LAYER_TYPES: readonly string[] = [
  'application/vnd.agentskills.skill.file.v1',
  'application/octet-stream',
  'application/json',
  'application/yaml',
  'text/markdown',
  'text/plain',
  'text/x-python',
  'text/x-shellscript',
]

/** The type of the attestations next to a skill, and of the empty configuration of such a manifest. */
export const ATTESTATION_TYPE = 'application/vnd.in-toto.bundle'
export const EMPTY_TYPE = 'application/vnd.oci.empty.v1+json'
export const SIGSTORE_TYPE = /^application\/vnd\.dev\.sigstore\.bundle/

export const TITLE = 'org.opencontainers.image.title'
export const VERSION = 'org.opencontainers.image.version'
