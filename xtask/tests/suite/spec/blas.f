*> \brief \b DASUM
*
*  =========== DOCUMENTATION ===========
*
* Online html documentation available at
*            http://www.netlib.org/lapack/explore-html/
*
*  Definition:
*  ===========
*
*       DOUBLE PRECISION FUNCTION DASUM(K,DV,STEP)
*
*> \par Purpose:
*  =============
*>
*> \verbatim
*>
*>    DASUM adds the magnitudes of a vector.
*>    Nothing is added where K is 0.
*> \endverbatim
*
*  Arguments:
*  ==========
*
*> \param[in] K
*> \verbatim
*>          K is INTEGER
*>         how many there are
*> \endverbatim
*>
*> \param[in] STEP
*> \verbatim
*>          STEP is INTEGER
*>         how far one stands behind the other
*> \endverbatim
*
*  Authors:
*  ========
*
*> \author Somebody
*
*  =====================================================================
      DOUBLE PRECISION FUNCTION DASUM(K,DV,STEP)
*     .. Scalars ..
      INTEGER STEP,K
*     nothing behind the first
      IF (K.LE.0 .OR. STEP.LE.0) RETURN
      DO I = 1,K*STEP,STEP
         DASUM = DASUM + ABS(DV(I))
      END DO
      END
