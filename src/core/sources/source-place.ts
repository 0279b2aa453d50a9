import type { GitAddress } from '../git/git-address.ts'

/** A folder on this machine. */
export interface FolderPlace {
  type: 'folder'
  path: string
}

/** An archive on this machine. */
export interface FilePlace {
  type: 'archive'
  path: string
}

/** An archive, or a single SKILL.md, at an address. */
export interface ArchivePlace {
  type: 'url'
  url: URL
  /** `sha256:<hex>` that the bytes must have. */
  digest: string | undefined
}

export interface GitPlace extends GitAddress {
  type: 'git'
}

/** A skill of the index of a site. */
export interface SitePlace {
  type: 'site'
  /** Base of the site, with a slash at the end. */
  url: URL
  name: string
  version: string | undefined
}

export interface NpmPlace {
  type: 'npm'
  package: string
  /** Exact version or tag; the newest version if undefined. */
  version: string | undefined
  /** Name of the skill's folder in the package. */
  skill: string | undefined
}

export interface OciPlace {
  type: 'oci'
  /** Host and port. */
  registry: string
  repository: string
  /** Tag, or `sha256:<hex>` of the manifest. */
  reference: string
}

/** Place on another machine, or in a repository. */
export type RemoteSourcePlace = ArchivePlace | GitPlace | SitePlace | NpmPlace | OciPlace

/** Place from which a skill is installed. */
export type SkillSourcePlace = FolderPlace | FilePlace | RemoteSourcePlace
