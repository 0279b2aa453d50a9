import { BLOB } from './blob.ts'
import { CALLS } from './calls.ts'
import { DURATION } from './duration.ts'
import { ERROR } from './error.ts'
import { EXIT_CODE } from './exit-code.ts'
import type { ExpectationKind } from './expectation.ts'
import { FILE } from './file.ts'
import { FILES } from './files.ts'
import { HIDES_SECRETS } from './hides-secrets.ts'
import { ISOLATION } from './isolation.ts'
import { LOADED } from './conversation/loaded.ts'
import { NETWORK } from './network.ts'
import { PROGRAM } from './program.ts'
import { REQUEST } from './conversation/request.ts'
import { RESULT } from './result.ts'
import { SNAPSHOT } from './snapshot.ts'
import { STATUS } from './status.ts'
import { STREAM_EXPECTATIONS } from './streams.ts'
import { TOOL_RESULT } from './conversation/tool-result.ts'

/** Every kind of expectation, in the order of the documentation. */
export const EXPECTATIONS: readonly ExpectationKind[] = [
  STATUS,
  RESULT,
  ERROR,
  EXIT_CODE,
  ...STREAM_EXPECTATIONS,
  FILES,
  FILE,
  BLOB,
  CALLS,
  NETWORK,
  HIDES_SECRETS,
  TOOL_RESULT,
  REQUEST,
  LOADED,
  DURATION,
  ISOLATION,
  PROGRAM,
  SNAPSHOT,
]
