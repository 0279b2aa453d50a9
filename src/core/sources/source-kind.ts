import type { PublishTarget } from '../publishing/targets/publish-target.ts'
import type { ServerConnection } from '../publishing/targets/server-target.ts'
import type { FetchedFolder, FetchedSkill, FetchOptions } from './fetched-skill.ts'
import type { RemoteSourcePlace, SkillSourcePlace } from './source-place.ts'

/** A kind of source: all that differs between a repository, a package, a site and the others. */
export interface SourceKind<Place extends SkillSourcePlace> {
  type: Place['type']
  /** Forms that people type, by scheme, for messages. */
  forms: Readonly<Record<string, string>>
  /** The source as patterns of the trust list name it; undefined for a path and for this machine. */
  formatTrust(place: Place, resolved: string): string | undefined
  /** Reads a skill within the limits of downloads. Nothing is executed. */
  fetch(place: Place, options: FetchOptions): Promise<FetchedSkill>
  /** Reads all skills of a source; by default it has one. */
  fetchFolder?(place: Place, options: FetchOptions): Promise<FetchedFolder>
  /** The reason for which a publisher withdrew a version; absent for sources without versions. */
  findWithdrawal?(place: Place, version: string, options: FetchOptions): Promise<string | undefined>
}

/** A kind of source on another machine, or in a repository. */
export interface RemoteKind<Place extends RemoteSourcePlace> extends SourceKind<Place> {
  /** Parses a text that begins with a scheme of `forms`; absent if another kind does. */
  parse?(text: string): RemoteSourcePlace
  /** False if a pinned place is on another server, repository or package than the typed one. */
  hasPinned(typed: Place, pinned: RemoteSourcePlace): boolean
  /** A text that is equal for two versions of one skill from one place. */
  identify(place: Place, recorded: { resolved: string; version: string }): string
  /** Examples of patterns of the trust list that cover such sources, by scheme. */
  trustPatterns?: Readonly<Record<string, string>>
  /** True if names do not distinguish upper and lower case. */
  isCaseless?: true
  /** Describes the place in the lock of the npm package "skills". */
  describeForeign(place: Place, resolved: string): DescribedSource
  /** Such places as targets of `skills publish`. */
  publish?: TargetKind
}

/** Keys of an entry that tell its source, or the reason for which the format has none. */
export type DescribedSource = DescribedKeys | { problem: string }

interface DescribedKeys {
  source: string
  sourceType: string
  sourceUrl?: string | undefined
  ref?: string | undefined
  skillPath?: string | undefined
}

/** A kind of target of `skills publish --to`. */
export interface TargetKind {
  /** Beginnings of its texts, with an example each. */
  schemes: Readonly<Record<string, string>>
  /** Options that no other kind has. */
  options: readonly (keyof TargetOptions)[]
  /** True if the scheme alone is a target. */
  isPlaceless?: true
  open(request: OpenTargetRequest): Promise<PublishTarget>
}

/** Options that are about one kind of target. */
export type TargetOptions = Readonly<
  Partial<Record<'siteName' | 'baseUrl' | 'out' | 'push' | 'tag' | 'tokenFile', string | undefined>>
>

export interface OpenTargetRequest {
  /** The whole text. */
  text: string
  /** The text after the scheme. */
  rest: string
  /** Folder of the skill; undefined to withdraw a version. */
  folder: string | undefined
  cwd: string
  env: Readonly<Record<string, string | undefined>>
  options: TargetOptions
  isSigned: boolean
  /** Opens a `skills serve`; the caller has its token. */
  openServer(url: string): Promise<ServerConnection>
}
