import type { Requirement } from '../requirement.ts'
import { BLOBS } from './blobs.ts'
import { ENVELOPE } from './envelope.ts'
import { CREATE, EXECUTE } from './execute.ts'
import { EXTENSIONS } from './extensions.ts'
import { LISTING } from './listing.ts'
import { READING } from './reading.ts'
import { RUN_CODE } from './runs.ts'
import { SANDBOX } from './sandbox.ts'

/** Every requirement, each behind those that it needs. */
export const REQUIREMENTS: readonly Requirement[] = [
  ...ENVELOPE,
  ...CREATE,
  ...LISTING,
  ...READING,
  ...BLOBS,
  ...RUN_CODE,
  ...SANDBOX,
  ...EXECUTE,
  ...EXTENSIONS,
]
