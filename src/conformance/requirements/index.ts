import type { Requirement } from '../requirement.ts'
import { BLOBS } from './blobs.ts'
import { ENVELOPE } from './envelope.ts'
import { CREATE } from './create.ts'
import { EXECUTE } from './execute.ts'
import { EXTENSIONS } from './extensions.ts'
import { LISTING } from './listing.ts'
import { LANGUAGES } from './languages.ts'
import { READING } from './reading.ts'
import { RESPONSES } from './responses.ts'
import { RUN_CODE } from './runs.ts'
import { SANDBOX } from './sandbox.ts'

const ALL: readonly Requirement[] = [
  ...ENVELOPE,
  ...CREATE,
  ...LISTING,
  ...READING,
  ...BLOBS,
  ...RUN_CODE,
  ...LANGUAGES,
  ...SANDBOX,
  ...EXECUTE,
  ...EXTENSIONS,
  ...RESPONSES,
]

const readArea = ({ id }: Requirement) => id.split('/')[0] as string
const AREAS = [...new Set(ALL.map(readArea))]

/** All requirements by area, each one after its prerequisites. */
export const REQUIREMENTS: readonly Requirement[] = ALL.toSorted(
  (one, other) => AREAS.indexOf(readArea(one)) - AREAS.indexOf(readArea(other)),
)
