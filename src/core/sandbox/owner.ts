export { isOwnerGone, ownerMark } from '../../util/owner.ts'
