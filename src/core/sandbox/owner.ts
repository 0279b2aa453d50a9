export { isLeftBehind, sharedMark as ownerMark } from '../../util/owner.ts'
