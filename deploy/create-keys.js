// Prints the public key and the seed of a new node. The engine gets the public key, the node the seed.
import { nkeys } from '@nats-io/transport-node'

const pair = nkeys.createUser()
const seed = Buffer.from(pair.getSeed()).toString()
process.stdout.write(`public key ${pair.getPublicKey()}\nseed       ${seed}\n`)
