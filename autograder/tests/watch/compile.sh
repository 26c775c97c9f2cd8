# compile.sh KIT BUILD: stands for the compiler of step 3 in a made kit; what the step's file says decides what comes out.
kit=$1
to=$kit/build/labs/02_reduction/skeleton/step_3.so
case $(cat "$kit/labs/02_reduction/steps/3_sequential.cu") in
*broken*)
    echo "$kit/labs/02_reduction/steps/3_sequential.cu(7): error: identifier \"broken\" is undefined"
    exit 1
    ;;
*endless*)
    : >"$kit/compiling"
    sleep 86400
    ;;
*written*) cp "$2/labs/02_reduction/solution/step_3.so" "$to" ;;
*) cp "$2/labs/02_reduction/skeleton/step_3.so" "$to" ;;
esac
