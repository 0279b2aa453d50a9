import type { Rule } from '../../rule.ts'
import { BROAD_NETWORK } from './broad-network.ts'
import { DUPLICATE_NETWORK } from './duplicate-network.ts'
import { DYNAMIC_CODE } from './dynamic-code.ts'
import { INVALID_NETWORK } from './invalid-network.ts'
import { PLAIN_HTTP } from './plain-http.ts'
import { PRIVATE_ADDRESS } from './private-address.ts'
import { SECRET_LITERAL } from './secret-literal.ts'
import { SECRET_NAME } from './secret-name.ts'
import { SUBPROCESS } from './subprocess.ts'
import { UNDECLARED_HOST } from './undeclared-host.ts'
import { UNDECLARED_NETWORK } from './undeclared-network.ts'
import { UNDECLARED_SECRET } from './undeclared-secret.ts'
import { UNUSED_NETWORK } from './unused-network.ts'
import { UNUSED_SECRET } from './unused-secret.ts'
import { WRITE_OUTSIDE } from './write-outside.ts'

export const PERMISSIONS_RULES: readonly Rule[] = [
  BROAD_NETWORK,
  DUPLICATE_NETWORK,
  DYNAMIC_CODE,
  INVALID_NETWORK,
  PLAIN_HTTP,
  PRIVATE_ADDRESS,
  SECRET_LITERAL,
  SECRET_NAME,
  SUBPROCESS,
  UNDECLARED_HOST,
  UNDECLARED_NETWORK,
  UNDECLARED_SECRET,
  UNUSED_NETWORK,
  UNUSED_SECRET,
  WRITE_OUTSIDE,
]
