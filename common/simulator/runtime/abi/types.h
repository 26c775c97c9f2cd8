// Types of the CUDA runtime's binary interface, of version 13.0, as far as the runtime here needs
// them: declared here, because the toolkit that builds the kit may be older or newer, and the
// drop-ins for all versions are made of the same objects. Names and layouts are facts of the
// interface (CUDA Runtime API, "Data types used by CUDA Runtime"); layouts.def holds both these
// and the toolkit's headers to them.
#ifndef SIM_RUNTIME_ABI_TYPES_H
#define SIM_RUNTIME_ABI_TYPES_H

#include <stddef.h>

#define RUNTIME_CUDA_VERSION 13000 // whose interface this is

// ---- numbers ------------------------------------------------------------------------------------

#define RUNTIME_ENUM(tag)                  enum tag {
#define RUNTIME_VALUE(name, number, major) name = number,
#define RUNTIME_ENUM_END                                                                           \
    }                                                                                              \
    ;
#include "runtime/abi/values.def"
#undef RUNTIME_ENUM
#undef RUNTIME_VALUE
#undef RUNTIME_ENUM_END

typedef enum cudaError {
#define RUNTIME_ERROR(code, number, words) code = number,
#include "device/errors.def"
#undef RUNTIME_ERROR
} cudaError_t;

enum cudaDeviceAttr {
#define RUNTIME_ATTRIBUTE(id, number, value) cudaDevAttr##id = number,
#include "device/attributes.def"
#undef RUNTIME_ATTRIBUTE
};

// Numbers that the runtime takes and never looks at.
enum cudaJitOption { cudaJitOptions = 0 };
enum cudaLibraryOption { cudaLibraryOptions = 0 };

typedef enum cudaLaunchAttributeID cudaLaunchAttributeID;
typedef enum cudaLaunchAttributeID cudaStreamAttrID;
typedef enum cudaGraphInstantiateResult cudaGraphInstantiateResult;
typedef enum CUDAlogLevel_enum cudaLogLevel;

// ---- handles ------------------------------------------------------------------------------------

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphNode_st *cudaGraphNode_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
typedef struct CUuserObject_st *cudaUserObject_t;
typedef struct CUfunc_st *cudaFunction_t;
typedef struct CUkern_st *cudaKernel_t;
typedef struct CUlib_st *cudaLibrary_t;
typedef struct CUmemPoolHandle_st *cudaMemPool_t;
typedef struct cudaExecutionContext_st *cudaExecutionContext_t;
typedef struct CUdevResourceDesc_st *cudaDevResourceDesc_t;
typedef struct CUlogsCallbackEntry_st *cudaLogsCallbackHandle;
typedef struct cudaArray *cudaArray_t;
typedef const struct cudaArray *cudaArray_const_t;
typedef struct cudaMipmappedArray *cudaMipmappedArray_t;
typedef const struct cudaMipmappedArray *cudaMipmappedArray_const_t;
typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
typedef unsigned int cudaLogIterator;

#define cudaStreamLegacy    ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)

typedef void (*cudaHostFn_t)(void *);
typedef void (*cudaStreamCallback_t)(cudaStream_t, cudaError_t, void *);
typedef void (*cudaLogsCallback_t)(void *, cudaLogLevel, char *, size_t);

// ---- structures ---------------------------------------------------------------------------------

typedef struct uint3 {
    unsigned int x, y, z;
} uint3;

typedef struct dim3 {
    unsigned int x, y, z;
} dim3;

struct cudaExtent {
    size_t width, height, depth;
};

struct cudaPos {
    size_t x, y, z;
};

struct cudaPitchedPtr {
    void *ptr;
    size_t pitch, xsize, ysize;
};

struct cudaChannelFormatDesc {
    int x, y, z, w;
    enum cudaChannelFormatKind f;
};

struct cudaArrayMemoryRequirements {
    size_t size, alignment;
    unsigned int reserved[4];
};

struct cudaArraySparseProperties {
    struct {
        unsigned int width, height, depth;
    } tileExtent;
    unsigned int miptailFirstLevel;
    unsigned long long miptailSize;
    unsigned int flags;
    unsigned int reserved[4];
};

struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock;
    int numRegs;
    int ptxVersion, binaryVersion;
    int cacheModeCA;
    int maxDynamicSharedSizeBytes;
    int preferredShmemCarveout;
    int clusterDimMustBeSet; // from here on: since 12
    int requiredClusterWidth, requiredClusterHeight, requiredClusterDepth;
    int clusterSchedulingPolicyPreference;
    int nonPortableClusterSizeAllowed;
    int reserved[16];
};

// Filled by its bytes: it differs between versions (api/properties.def).
struct cudaDeviceProp;

struct cudaMemLocation {
    enum cudaMemLocationType type;
    int id;
};

struct cudaMemAccessDesc {
    struct cudaMemLocation location;
    enum cudaMemAccessFlags flags;
};

struct cudaMemPoolProps {
    enum cudaMemAllocationType allocType;
    enum cudaMemAllocationHandleType handleTypes;
    struct cudaMemLocation location;
    void *win32SecurityAttributes;
    size_t maxSize;       // since 12, before that reserved and 0
    unsigned short usage; // since 13, likewise
    unsigned char reserved[54];
};

struct cudaPointerAttributes {
    enum cudaMemoryType type;
    int device;
    void *devicePointer;
    void *hostPointer;
    long reserved[8]; // since 13
};

// ---- copies -------------------------------------------------------------------------------------

struct cudaMemcpy3DParms {
    cudaArray_t srcArray;
    struct cudaPos srcPos;
    struct cudaPitchedPtr srcPtr;
    cudaArray_t dstArray;
    struct cudaPos dstPos;
    struct cudaPitchedPtr dstPtr;
    struct cudaExtent extent;
    enum cudaMemcpyKind kind;
};

struct cudaMemcpy3DPeerParms {
    cudaArray_t srcArray;
    struct cudaPos srcPos;
    struct cudaPitchedPtr srcPtr;
    int srcDevice;
    cudaArray_t dstArray;
    struct cudaPos dstPos;
    struct cudaPitchedPtr dstPtr;
    int dstDevice;
    struct cudaExtent extent;
};

struct cudaOffset3D {
    size_t x, y, z;
};

struct cudaMemcpy3DOperand {
    enum cudaMemcpy3DOperandType type;
    union {
        struct {
            void *ptr;
            size_t rowLength, layerHeight;
            struct cudaMemLocation locHint;
        } ptr;
        struct {
            cudaArray_t array;
            struct cudaOffset3D offset;
        } array;
    } op;
};

struct cudaMemcpy3DBatchOp {
    struct cudaMemcpy3DOperand src, dst;
    struct cudaExtent extent;
    enum cudaMemcpySrcAccessOrder srcAccessOrder;
    unsigned int flags;
};

struct cudaMemcpyAttributes {
    enum cudaMemcpySrcAccessOrder srcAccessOrder;
    struct cudaMemLocation srcLocHint, dstLocHint;
    unsigned int flags;
};

// ---- parts of the device (since 13.1) -----------------------------------------------------------

enum cudaDevResourceType { cudaDevResourceTypeInvalid = 0, cudaDevResourceTypeSm = 1 };

typedef struct cudaDevResource_st {
    enum cudaDevResourceType type;
    unsigned char reserved[92];
    union {
        struct {
            unsigned smCount, minSmPartitionSize, smCoscheduledAlignment, flags, localityDomainId;
        } sm;
        unsigned char bytes[40];
    };
    struct cudaDevResource_st *nextResource;
} cudaDevResource;

typedef struct cudaDevSmResourceGroupParams_st {
    unsigned smCount, coscheduledSmCount, preferredCoscheduledSmCount, flags, localityDomainId;
    unsigned reserved[11];
} cudaDevSmResourceGroupParams;

// ---- textures -----------------------------------------------------------------------------------

struct cudaResourceDesc {
    enum cudaResourceType resType;
    union {
        struct {
            cudaArray_t array;
        } array;
        struct {
            cudaMipmappedArray_t mipmap;
        } mipmap;
        struct {
            void *devPtr;
            struct cudaChannelFormatDesc desc;
            size_t sizeInBytes;
        } linear;
        struct {
            void *devPtr;
            struct cudaChannelFormatDesc desc;
            size_t width, height, pitchInBytes;
        } pitch2D;
        int reserved[32]; // since 13, and so is what follows
    } res;
    unsigned int flags;
};

struct cudaResourceViewDesc {
    enum cudaResourceViewFormat format;
    size_t width, height, depth;
    unsigned int firstMipmapLevel, lastMipmapLevel;
    unsigned int firstLayer, lastLayer;
    unsigned int reserved[16]; // since 13
};

struct cudaTextureDesc {
    enum cudaTextureAddressMode addressMode[3];
    enum cudaTextureFilterMode filterMode;
    enum cudaTextureReadMode readMode;
    int sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned int maxAnisotropy;
    enum cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization;
    int seamlessCubemap; // since 12; in 11 of the calls that end in _v2
};

// ---- launches -----------------------------------------------------------------------------------

typedef union cudaLaunchAttributeValue {
    char pad[64];
    int cooperative;
    int priority;
    int programmaticStreamSerializationAllowed;
    int syncPolicy; // enum cudaSynchronizationPolicy
    int memSyncDomain;
    int clusterSchedulingPolicyPreference;
    struct {
        void *base_ptr;
        size_t num_bytes;
        float hitRatio;
        int hitProp, missProp; // enum cudaAccessProperty
    } accessPolicyWindow;
    struct {
        unsigned char default_, remote;
    } memSyncDomainMap;
    struct {
        unsigned int x, y, z;
    } clusterDim;
    struct {
        cudaEvent_t event;
        int flags;
        int triggerAtBlockStart;
    } programmaticEvent;
    struct {
        cudaEvent_t event;
        int flags;
    } launchCompletionEvent;
    unsigned int sharedMemCarveout;
} cudaLaunchAttributeValue;

typedef cudaLaunchAttributeValue cudaStreamAttrValue;

typedef struct cudaLaunchAttribute_st {
    cudaLaunchAttributeID id;
    char pad[4];
    cudaLaunchAttributeValue val;
} cudaLaunchAttribute;

typedef struct cudaLaunchConfig_st {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute *attrs;
    unsigned int numAttrs;
} cudaLaunchConfig_t;

// ---- graphs -------------------------------------------------------------------------------------

typedef struct cudaGraphEdgeData_st {
    unsigned char from_port, to_port;
    unsigned char type;
    unsigned char reserved[5];
} cudaGraphEdgeData;

typedef struct cudaGraphExecUpdateResultInfo_st {
    enum cudaGraphExecUpdateResult result;
    cudaGraphNode_t errorNode, errorFromNode;
} cudaGraphExecUpdateResultInfo;

typedef struct cudaGraphInstantiateParams_st {
    unsigned long long flags;
    cudaStream_t uploadStream;
    cudaGraphNode_t errNode_out;
    cudaGraphInstantiateResult result_out;
} cudaGraphInstantiateParams;

struct cudaKernelNodeParams {
    void *func;
    dim3 gridDim, blockDim;
    unsigned int sharedMemBytes;
    void **kernelParams;
    void **extra;
};

struct cudaKernelNodeParamsV2 {
    void *func;
    dim3 gridDim, blockDim;
    unsigned int sharedMemBytes;
    void **kernelParams;
    void **extra;
};

struct cudaMemsetParams {
    void *dst;
    size_t pitch;
    unsigned int value, elementSize;
    size_t width, height;
};

struct cudaMemsetParamsV2 {
    void *dst;
    size_t pitch;
    unsigned int value, elementSize;
    size_t width, height;
};

struct cudaHostNodeParams {
    cudaHostFn_t fn;
    void *userData;
};

struct cudaHostNodeParamsV2 {
    cudaHostFn_t fn;
    void *userData;
};

struct cudaMemAllocNodeParams {
    struct cudaMemPoolProps poolProps;
    const struct cudaMemAccessDesc *accessDescs;
    size_t accessDescCount;
    size_t bytesize;
    void *dptr;
};

struct cudaMemAllocNodeParamsV2 {
    struct cudaMemPoolProps poolProps;
    const struct cudaMemAccessDesc *accessDescs;
    size_t accessDescCount;
    size_t bytesize;
    void *dptr;
};

// What a node of any type is made of; members of types that are not supported are left out.
typedef unsigned long long cudaGraphConditionalHandle;

struct cudaGraphNodeParams {
    enum cudaGraphNodeType type;
    int reserved0[3];
    union {
        long long reserved1[29];
        struct cudaKernelNodeParamsV2 kernel;
        struct {
            int flags;
            int reserved[3];
            struct cudaMemcpy3DParms copyParams;
        } memcpy;
        struct cudaMemsetParamsV2 memset;
        struct cudaHostNodeParamsV2 host;
        struct {
            cudaGraph_t graph;
        } graph;
        struct {
            cudaEvent_t event;
        } eventWait, eventRecord;
        struct cudaMemAllocNodeParamsV2 alloc;
        struct {
            void *dptr;
        } free;
        struct {
            cudaGraphConditionalHandle handle;
            unsigned int type, size;
            cudaGraph_t *phGraph_out;
        } conditional;
    };
    long long reserved2;
};

#endif
